cpdef str mysql_gtid(str sid, str tag, Py_ssize_t number)
cpdef str mariadb_gtid(unsigned int domain, unsigned int server, unsigned long long number)
