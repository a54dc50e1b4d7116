/// The length of a formatted date or time.
package enum TimeStyle: String, Choice {
    case none, short, medium, long, full

    package var help: String {
        switch self {
        case .none: "nothing"
        case .short: "numbers only: 3/1/27, 14:05"
        case .medium: "the month in short, seconds: Mar 1, 2027, 14:05:09"
        case .long: "the month in full, the zone in short: March 1, 2027, 14:05:09 UTC"
        case .full: "the day of the week, the zone in full"
        }
    }
}
