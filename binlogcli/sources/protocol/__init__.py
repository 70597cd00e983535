"""The packets of the client-server protocol, as a replica and its server exchange them."""
