"""What several figures are drawn with; imported where one is drawn, since it brings matplotlib along."""
