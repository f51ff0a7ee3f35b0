"""What runs the products: one package per engine, behind the same calls."""
