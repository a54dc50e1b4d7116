/// The units for measurements.
package enum UnitSystem: String, Choice {
    case metric, imperial

    package var help: String {
        switch self {
        case .metric: "metres, kilograms, degrees Celsius"
        case .imperial: "feet, pounds, degrees Fahrenheit"
        }
    }
}

/// The units for sizes.
package enum SizeUnits: String, Choice {
    case decimal, binary

    package var help: String {
        switch self {
        case .decimal: "kB, MB, GB: powers of 1,000"
        case .binary: "KiB, MiB, GiB: powers of 1,024"
        }
    }
}
