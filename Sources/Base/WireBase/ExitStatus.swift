/// How a process ends, after sysexits.h.
package enum ExitStatus: Int32, Sendable, CaseIterable {
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

    /// What it tells a script.
    package var meaning: String {
        switch self {
        case .success: "Done."
        case .problemsFound: "Problems were found, or the runner refused."
        case .takenBefore: "What was handed in was accepted before."
        case .usage: "The command line is not valid."
        case .noInput: "A file is missing or cannot be read."
        case .unavailable: "No runner answers, or a program is missing."
        case .internalError: "A fault of corewire."
        case .cannotCreate: "A file cannot be created."
        case .inputOutput: "Reading or writing failed."
        case .temporary: "Not possible now; trying again later may help."
        case .protocolError: "What answers is not what was expected there."
        case .noPermission: "Not permitted: sign in, unlock, or use another token."
        case .invalidFile: "The services file is not valid; trying again does not help."
        }
    }
}
