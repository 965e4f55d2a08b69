# From tables to figures; some, as landscapes, are drawn without any.


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
    conda:
        ENVIRONMENT
    params:
        figure=planned_figure,
        code=figure_code,
        script=script_code("draw_figure"),
    shell:
        'python -S "$UNBOUNDED_CLIENT" unbounded.scripts draw_figure' " {params.figure:q} {output:q} {input:q}"
