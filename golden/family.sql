-- Tables beside shop.customers that change with it: a foreign key deletes their rows, and a trigger tells of each change.
CREATE TABLE shop.customers (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(60) NOT NULL, city VARCHAR(40),
  notes TEXT, photo BLOB, credit DECIMAL(9,2) DEFAULT 0, UNIQUE KEY (name)) CHARACTER SET utf8mb4;
CREATE TABLE shop.cards (number BIGINT PRIMARY KEY, customer INT, CONSTRAINT card_of FOREIGN KEY (customer)
  REFERENCES shop.customers (id) ON DELETE CASCADE);
CREATE TABLE shop.visits (id INT PRIMARY KEY, customer INT, CONSTRAINT visit_of FOREIGN KEY (customer)
  REFERENCES shop.customers (id) ON DELETE SET NULL);
DELIMITER ;;
CREATE TRIGGER shop.customer_added AFTER INSERT ON shop.customers FOR EACH ROW
  INSERT INTO shop.audit (what) VALUES (CONCAT('new: ', NEW.name));;
DELIMITER ;
