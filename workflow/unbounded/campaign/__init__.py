"""A campaign: its models, its plan, and where its run stands."""
