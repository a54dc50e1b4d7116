import WireAuth
import WireAuthContract
import WireHTTP

extension Area {
    static let auth = Area(section: AuthSection.name, help: "add the section 'auth' to sign users in")
}
