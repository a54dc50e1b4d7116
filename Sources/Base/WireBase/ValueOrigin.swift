/// A value of the services file with its location for messages: `mobile-services.yaml:12:8`.
package struct ValueOrigin: Sendable, Hashable {
    package let path: String
    package let place: String

    package init(path: String, place: String) {
        self.path = path
        self.place = place
    }
}
