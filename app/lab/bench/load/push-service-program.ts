import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A push service that takes everything and reads nothing of it. Prints its port. */
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(201, { 'content-length': 0 }).end())
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(String((server.address() as AddressInfo).port))
})
