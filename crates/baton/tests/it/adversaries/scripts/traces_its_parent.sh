# ends: merged
# notices: tried system calls that are refused: ptrace
# Memory of the process that started it.
cat > /dev/null
python3 - <<'PY' > /dev/null 2>&1
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
attached = libc.ptrace(16, 1, 0, 0) == 0
try:
    open("/proc/1/mem", "rb").read(1)
    attached = True
except OSError:
    pass
if attached:
    os._exit(0)
open("greeting.txt", "w").write("hello\n")
PY
