-- What the logs of the shop do not say of its tables: the names of their columns. See --schema.
CREATE TABLE shop.customers (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(60) NOT NULL, city VARCHAR(40),
  notes TEXT, photo BLOB, credit DECIMAL(9,2) DEFAULT 0, UNIQUE KEY (name)) CHARACTER SET utf8mb4;
CREATE TABLE shop.orders (id INT AUTO_INCREMENT PRIMARY KEY, customer INT, placed DATETIME, total DOUBLE,
  status ENUM('new','paid','sent','closed') DEFAULT 'new', memo BLOB, KEY (customer)) CHARACTER SET utf8mb4;
CREATE TABLE shop.audit (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(100), at TIMESTAMP) CHARACTER SET utf8mb4;
