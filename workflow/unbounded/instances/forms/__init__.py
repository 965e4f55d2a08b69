"""Forms of Hessians: one module a form, found by `unbounded.instances.forms.registry`; docs/add-a-form.md."""
