/// The version of corewire.
package enum Release {
    package static let version = "0.1.0"
}
