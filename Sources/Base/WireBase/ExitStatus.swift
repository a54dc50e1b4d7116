/// How a process ends, after sysexits.h.
package enum ExitStatus: Int32, Sendable {
    case success = 0
    /// Problems were found in the file.
    case problemsFound = 1
    /// What was handed in was taken before.
    case takenBefore = 10
    case usage = 64
    case noInput = 66
    /// Nothing answers, or a program is not there.
    case unavailable = 69
    case internalError = 70
    case cannotCreate = 73
    case inputOutput = 74
    /// It is in use or not ready; trying again later may do.
    case temporary = 75
    /// What answers is not what was expected there.
    case protocolError = 76
    case noPermission = 77
    /// The services file is not valid: trying again will not help.
    case invalidFile = 78
}
