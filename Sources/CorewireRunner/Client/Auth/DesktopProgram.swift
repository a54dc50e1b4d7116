import CorewireCLI
import Glibc
import WireBase

/// Starts desktop programs for commands and discards their output.
enum DesktopProgram {
    /// Starts a program without waiting; false where it does not exist.
    @discardableResult
    static func start(_ arguments: [String]) -> pid_t? {
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { unsafe words.forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, arguments[0], &actions, nil, &words, environ) == 0 else { return nil }
        return process
    }

    /// Runs a program to its end; nil where it does not exist, or was killed.
    static func run(_ arguments: [String]) -> Int32? {
        guard let process = start(arguments) else { return nil }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status & 0x7f == 0 ? (status >> 8) & 0xff : nil
    }

    /// Opens an address in the desktop's browser, if there is one; the address is printed in any case.
    static func open(_ url: String) {
        guard url.hasPrefix("https://") || url.hasPrefix("http://"),
            Console.variable("DISPLAY") != nil || Console.variable("WAYLAND_DISPLAY") != nil
        else { return }
        start(["/usr/bin/xdg-open", url])
    }
}
