module trial-program

go 1.19
