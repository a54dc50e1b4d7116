/// The units measurements are shown in.
package enum UnitSystem: String, Choice {
    case metric, imperial

    package var help: String {
        switch self {
        case .metric: "metres, kilograms, degrees Celsius"
        case .imperial: "feet, pounds, degrees Fahrenheit"
        }
    }
}

/// The units sizes of files are shown in.
package enum SizeUnits: String, Choice {
    case decimal, binary

    package var help: String {
        switch self {
        case .decimal: "kB, MB, GB: a thousand of the one before"
        case .binary: "KiB, MiB, GiB: 1,024 of the one before"
        }
    }
}
