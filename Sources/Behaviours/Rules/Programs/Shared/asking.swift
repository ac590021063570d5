/// Makes one request, and returns the status, the bytes of the body and the error's code, each 0 if there is none.
func ask(
    _ url: String, _ session: URLSession = URLSession(configuration: .ephemeral)
) -> (status: Int, bytes: Int, code: Int) {
    let end = DispatchSemaphore(value: 0)
    var answer = (status: 0, bytes: 0, code: 0)
    session.dataTask(with: URL(string: url)!) { data, response, error in
        let status = (response as? HTTPURLResponse)?.statusCode
        answer = (status ?? 0, data?.count ?? 0, (error as NSError?)?.code ?? 0)
        end.signal()
    }.resume()
    end.wait()
    return answer
}

let origin = CommandLine.arguments[1]
