# From tables to figures. Landscapes are drawn from the instances themselves: that study runs nothing.


rule draw_landscapes:
    output:
        gallery=report(
            "results/{campaign}/figures/{study}/gallery.svg", caption="../report/gallery.rst", category="landscapes"
        ),
        contours=report(
            "results/{campaign}/figures/{study}/contours.svg", caption="../report/contours.rst", category="landscapes"
        ),
        pngs=multiext("results/{campaign}/figures/{study}/", "gallery.png", "contours.png"),
        captions=multiext("results/{campaign}/figures/{study}/", "gallery.txt", "contours.txt"),
    log:
        "results/{campaign}/logs/figures/{study}/landscapes.log",
    conda:
        ENVIRONMENT
    params:
        settings=lambda wildcards: CAMPAIGN.studies[wildcards.study].model_dump(),
        code=code_digest("unbounded.figures.landscapes"),
        script=script_code("draw_landscapes"),
    script:
        "../../scripts/draw_landscapes.py"


rule draw_figure:
    input:
        figure_tables,
    output:
        svg=report(
            "results/{campaign}/figures/{study}/{figure}.svg", caption="../report/figure.rst", category="{study}"
        ),
        png="results/{campaign}/figures/{study}/{figure}.png",
        caption="results/{campaign}/figures/{study}/{figure}.txt",
    log:
        "results/{campaign}/logs/figures/{study}/{figure}.log",
    wildcard_constraints:
        study=DRAWN_STUDIES,
    conda:
        ENVIRONMENT
    params:
        figure=planned_figure,
        code=figure_code,
        script=script_code("draw_figure"),
    shell:
        'python -S "$UNBOUNDED_CLIENT" unbounded.scripts draw_figure' " {params.figure:q} {output:q} {input:q}"
