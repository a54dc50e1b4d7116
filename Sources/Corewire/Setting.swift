import WireBase
import WireConfig

extension Corewire {
    /// A value of the services file, and its place.
    public struct Setting: Sendable, Hashable, CustomStringConvertible {
        /// The key, from the top of the file: `auth.lock.method`.
        public let path: String
        /// File, line and column: `app.yaml:12:8`.
        public let place: String

        /// Key and place in one line.
        public var description: String { "\(path) (\(place))" }
    }
}

extension ValueOrigin {
    /// As errors tell it to programs.
    var setting: Corewire.Setting { Corewire.Setting(path: path, place: place) }
}
