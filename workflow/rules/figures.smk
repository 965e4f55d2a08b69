# From tables to figures. Landscapes are drawn from the instances themselves: that study runs nothing.
from unbounded.config import LandscapeStudy

FIGURES = {
    study: ["gallery", "contours"]
    for study, settings in CAMPAIGN.studies.items()
    if isinstance(settings, LandscapeStudy)
}


def study_figures(study):
    return [
        f"{RESULTS}/figures/{study}/{name}.{ending}" for name in FIGURES.get(study, []) for ending in ("svg", "png")
    ]


def campaign_figures(wildcards):
    return [path for study in FIGURES for path in study_figures(study)]


rule draw_landscapes:
    output:
        gallery=report(
            "results/{campaign}/figures/{study}/gallery.svg", caption="../report/gallery.rst", category="Landscapes"
        ),
        contours=report(
            "results/{campaign}/figures/{study}/contours.svg", caption="../report/contours.rst", category="Landscapes"
        ),
        pngs=multiext("results/{campaign}/figures/{study}/", "gallery.png", "contours.png"),
    log:
        "results/{campaign}/logs/figures/{study}/landscapes.log",
    params:
        settings=lambda wildcards: CAMPAIGN.studies[wildcards.study].model_dump(),
        code=code_digest("unbounded.figures.landscapes"),
    conda:
        ENVIRONMENT
    script:
        "../../scripts/draw_landscapes.py"
