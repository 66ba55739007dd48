CREATE VIEW order_totals AS
SELECT o.id AS order_id, c.email AS customer, sum(l.quantity * l.price_cents) AS total_cents
FROM orders o
JOIN customers c ON c.id = o.customer_id
JOIN order_lines l ON l.order_id = o.id
GROUP BY o.id, c.email;
