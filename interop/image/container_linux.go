package image

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
)

// Container is how a program is started.
type Container struct {
	// Root is the root file system, which cannot be written.
	Root string
	// Volumes are directories and files of this machine, by their absolute paths in the container.
	Volumes map[string]string
	// User is the number of the user and of his group.
	User int
	// Env is the whole environment.
	Env []string
	// Command is an absolute path in the container, and arguments.
	Command []string
}

// asContainer is the variable that makes this program enter a container; its value is the Container.
const asContainer = "INTEROP_CONTAINER"

// What Linux calls them; package syscall has no names for these.
const (
	prSetNoNewPrivs = 38
	prCapAmbient    = 47
	clearAll        = 4
	capSysChroot    = 18
	capSysAdmin     = 21
)

// devices are those that each container engine gives a container.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// Start starts the command in namespaces of its own (users, mounts, processes), for which no rights are needed where the system lets
// everybody make them. What the program prints goes to output. It ends with the process that is returned.
func (container Container) Start(output *os.File) (*exec.Cmd, error) {
	for target, volume := range container.Volumes {
		if err := mountPoint(volume, filepath.Join(container.Root, target)); err != nil {
			return nil, err
		}
	}
	for _, dir := range append([]string{"/proc"}, devices...) {
		if err := mountPoint(dir, filepath.Join(container.Root, dir)); err != nil {
			return nil, err
		}
	}
	order, err := json.Marshal(container)
	if err != nil {
		return nil, err
	}
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(own)
	command.Env = []string{asContainer + "=" + string(order)}
	command.Stdout, command.Stderr = output, output
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: container.User, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: container.User, HostID: os.Getgid(), Size: 1}},
		AmbientCaps: []uintptr{capSysChroot, capSysAdmin},
	}
	return command, command.Start()
}

// mountPoint makes an empty file or directory for a mount, as a container engine does.
func mountPoint(of, at string) error {
	info, err := os.Stat(of)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.MkdirAll(at, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(at); err == nil {
		return nil
	}
	return os.WriteFile(at, nil, 0o644)
}

// Enter becomes the command of a container if this process was started for it, and returns if not.
func Enter() {
	order := os.Getenv(asContainer)
	if order == "" {
		return
	}
	var container Container
	err := json.Unmarshal([]byte(order), &container)
	if err == nil {
		err = container.become()
	}
	fmt.Fprintln(os.Stderr, "cannot enter the container:", err)
	os.Exit(1)
}

func (container Container) become() error {
	// Capabilities belong to a thread.
	runtime.LockOSThread()
	if err := container.mount(); err != nil {
		return err
	}
	if err := errors.Join(syscall.Chroot(container.Root), os.Chdir("/")); err != nil {
		return err
	}
	for _, args := range [][2]uintptr{{prCapAmbient, clearAll}, {prSetNoNewPrivs, 1}} {
		if _, _, number := syscall.RawSyscall6(syscall.SYS_PRCTL, args[0], args[1], 0, 0, 0, 0); number != 0 {
			return number
		}
	}
	if got := os.Getuid(); got != container.User {
		return fmt.Errorf("the user is %d", got)
	}
	if err := os.WriteFile("/x", nil, 0o644); !errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("the root file system is not read-only: %v", err)
	}
	return syscall.Exec(container.Command[0], container.Command, container.Env)
}

func (container Container) mount() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	in := func(path string) string { return filepath.Join(container.Root, path) }
	if err := bind(container.Root, container.Root); err != nil {
		return err
	}
	// A volume may have another one in it.
	for _, target := range slices.Sorted(maps.Keys(container.Volumes)) {
		if err := bind(container.Volumes[target], in(target)); err != nil {
			return err
		}
	}
	for _, device := range devices {
		if err := bind(device, in(device)); err != nil {
			return err
		}
	}
	// In a container of its own this process may only pass on the /proc that it has.
	if err := syscall.Mount("proc", in("/proc"), "proc", 0, ""); err != nil {
		if err := bind("/proc", in("/proc")); err != nil {
			return err
		}
	}
	// What the file system forbids already cannot be taken back here, and has to be named again.
	var now syscall.Statfs_t
	if err := syscall.Statfs(container.Root, &now); err != nil {
		return err
	}
	kept := uintptr(now.Flags) & (syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC | syscall.MS_NOATIME | syscall.MS_NODIRATIME)
	return syscall.Mount("", container.Root, "", kept|syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
}

func bind(from, to string) error {
	if err := syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("%s at %s: %w", from, to, err)
	}
	return nil
}
