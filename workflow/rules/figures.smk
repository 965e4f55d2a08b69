# From tables to figures. Landscapes are drawn from the instances themselves: that study runs nothing.


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
    conda:
        ENVIRONMENT
    params:
        settings=lambda wildcards: CAMPAIGN.studies[wildcards.study].model_dump(),
        code=code_digest("unbounded.figures.landscapes"),
    script:
        "../../scripts/draw_landscapes.py"
