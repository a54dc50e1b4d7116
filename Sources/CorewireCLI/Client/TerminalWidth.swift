import Glibc

/// How wide the terminal is that messages go to.
enum TerminalWidth {
    /// In cells; what terminals have always had where it does not tell.
    static var now: Int {
        var size = winsize()
        if unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 { return Int(size.ws_col) }
        return Console.variable("COLUMNS").flatMap { Int($0) }.map { max(20, $0) } ?? 80
    }
}
