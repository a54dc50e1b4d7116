/// The exit status of a process, after sysexits.h.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    case success = 0
    /// Problems were found in the file.
    case problemsFound = 1
    /// The input was already accepted.
    case takenBefore = 10
    case usage = 64
    case noInput = 66
    /// No runner responds, or a program is missing.
    case unavailable = 69
    case internalError = 70
    case cannotCreate = 73
    case inputOutput = 74
    /// A temporary failure; a later attempt may succeed.
    case temporary = 75
    /// The response was not as expected.
    case protocolError = 76
    case noPermission = 77
    /// The services file is not valid; another attempt will not help.
    case invalidFile = 78

    /// The meaning for scripts.
    package var meaning: String {
        switch self {
        case .success: "Done."
        case .problemsFound: "Problems were found, or the runner rejected the request."
        case .takenBefore: "The input was already accepted."
        case .usage: "The command line is not valid."
        case .noInput: "A file is missing or cannot be read."
        case .unavailable: "No runner responds, or a program is missing."
        case .internalError: "Internal error of corewire."
        case .cannotCreate: "A file cannot be created."
        case .inputOutput: "Reading or writing failed."
        case .temporary: "Not possible now; try again later."
        case .protocolError: "The response was not as expected."
        case .noPermission: "Not permitted: sign in, unlock, or use another token."
        case .invalidFile: "The services file is not valid; correct it first."
        }
    }
}
