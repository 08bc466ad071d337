import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import express, { type ErrorRequestHandler } from 'express'
import WebSocket from 'ws'

/**
 * The floor of a chat server: Express and `ws` without a product. It echoes JSON, or answers with a
 * page of messages from memory, writes uploads into a file, and echoes on its sockets. Runs as its
 * own process; prints its port.
 */
const page = Array.from({ length: 50 }, (_, index) => ({
  _id: `01890000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  sender: { _id: '01890000-0000-7000-8000-00000000000a', username: 'ann', profilePicture: null },
  recipient: { _id: '01890000-0000-7000-8000-00000000000b', username: 'ben', profilePicture: null },
  content: `message ${index + 1} of 50, with about as many words as people write`,
  type: 'text',
  status: 'sent',
  createdAt: '2026-11-21T10:00:00.000Z',
}))

const app = express()
app.use(express.json({ limit: '16mb' }))
app.post(
  ['/messages', '/api/messages'],
  (request, response) => void response.status(201).json(request.body),
)
app.get(['/messages/:id', '/api/messages/:id'], (_request, response) => void response.json(page))
app.post('/upload', async (request, response) => {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-bare-'))
  const written = createWriteStream(join(folder, 'file'), { flush: true })
  await pipeline(request, written)
  response.status(201).json({ size: written.bytesWritten })
  await rm(folder, { recursive: true })
})
app.get('/memory', (_request, response) => void response.json(process.memoryUsage.rss()))
app.get('/processor', (_request, response) => {
  const { user, system } = process.cpuUsage()
  response.json((user + system) / 1e6)
})
const dropBroken: ErrorRequestHandler = (_error, _request, response, _next) =>
  void response.destroy()
// Otherwise Express would print a stack for each request that an attacker aborts.
app.use(dropBroken)
const server = createServer(app)
const sockets = new WebSocket.Server({ server, perMessageDeflate: false })
sockets.on('connection', (socket) => socket.on('message', echo))
function echo(this: WebSocket, frame: WebSocket.Data) {
  this.send(frame)
}
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : address}\n`)
})
