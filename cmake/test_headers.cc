// Holds no test: the headers that tests share are compiled with it.
