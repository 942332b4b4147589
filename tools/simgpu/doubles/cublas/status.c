/* The texts of statuses: the same in both libraries. */
#include "doubles/cublas/blas_abi.h"

static const struct {
	int status;
	const char *name, *text;
} statuses[] = {
	{BLAS_OK, "CUBLAS_STATUS_SUCCESS", "success"},
	{BLAS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
	{BLAS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
	{BLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used as a parameter"},
	{BLAS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch"},
	{BLAS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
	{BLAS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the operation is not supported"},
};

static int find(int status)
{
	for (int i = 0; i < (int)(sizeof(statuses) / sizeof(statuses[0])); i++)
		if (statuses[i].status == status)
			return i;
	return -1;
}

static const char *name_of(int status)
{
	int i = find(status);
	return i < 0 ? "unrecognized status" : statuses[i].name;
}

static const char *text_of(int status)
{
	int i = find(status);
	return i < 0 ? "unrecognized status" : statuses[i].text;
}

BLAS_API(const char *, cublasGetStatusName, int status)
{
	return name_of(status);
}

BLAS_API(const char *, cublasGetStatusString, int status)
{
	return text_of(status);
}

BLAS_API(const char *, cublasLtGetStatusName, int status)
{
	return name_of(status);
}

BLAS_API(const char *, cublasLtGetStatusString, int status)
{
	return text_of(status);
}
