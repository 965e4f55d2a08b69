# From tables to figures; some, as landscapes, are drawn without any.


rule draw_figure:
    input:
        shown,
    output:
        svg=report(LAYOUT.figure("{study}/{figure}", "svg"), caption="../report/figure.rst", category="{study}"),
        png=LAYOUT.figure("{study}/{figure}", "png"),
        caption=LAYOUT.figure("{study}/{figure}", "txt"),
    log:
        LAYOUT.log("figures/{study}/{figure}"),
    conda:
        ENVIRONMENT
    params:
        figure=lambda wildcards: as_json(picture(wildcards)),
        code=lambda wildcards: figure_registry.drawing(picture(wildcards)).code,
        script=script_code("draw_figure"),
    shell:
        'python -S "$UNBOUNDED_CLIENT" unbounded.scripts draw_figure' " {params.figure:q} {output:q} {input:q}"
