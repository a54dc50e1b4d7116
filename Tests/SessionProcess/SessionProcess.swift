/// A process of a group that needs new tokens all the time.
@main
enum SessionProcess {
    static func main() {}
}
