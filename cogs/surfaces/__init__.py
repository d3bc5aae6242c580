"""What people see: pages made of texts, pictures and controls. Pure functions; nothing here asks or sends."""
