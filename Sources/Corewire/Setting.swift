import WireBase
import WireConfig

extension Corewire {
    /// A value of the services file with its location.
    public struct Setting: Sendable, Hashable, CustomStringConvertible {
        /// The path of the key in the file: `auth.lock.method`.
        public let path: String
        /// File, line and column: `app.yaml:12:8`.
        public let place: String

        /// Path and location on one line.
        public var description: String { "\(path) (\(place))" }
    }
}

extension ValueOrigin {
    /// Converts the origin for the public API.
    var setting: Corewire.Setting { Corewire.Setting(path: path, place: place) }
}
