import Glibc

/// The width of the terminal at standard error.
enum TerminalWidth {
    /// In cells; 80 where it is unknown.
    static var now: Int {
        var size = winsize()
        if unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 { return Int(size.ws_col) }
        return Console.variable("COLUMNS").flatMap { Int($0) }.map { max(20, $0) } ?? 80
    }
}
