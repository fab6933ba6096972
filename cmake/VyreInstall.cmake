# The installed library comes here.
