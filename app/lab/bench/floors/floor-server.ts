import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import express from 'express'
import PouchDB from 'pouchdb'
import WebSocket from 'ws'

/**
 * The floors of a storing chat server. Express stores its input by one synced put into LevelDB; a
 * `ws` server puts each message into both people's PouchDBs, then delivers it. Runs as its own
 * process, with a folder as its argument; prints its port.
 */
const folder = process.argv[2] ?? join(tmpdir(), 'petrel-floor')
const level = new ClassicLevel<string, string>(join(folder, 'level'))
await level.open()
const app = express()
app.use(express.json())
app.post('/stored', async ({ body }, response) => {
  await level.put(body.id, JSON.stringify(body), { sync: true })
  response.status(201).json(body)
})
app.get('/processor', (_request, response) => {
  const { user, system } = process.cpuUsage()
  response.json((user + system) / 1e6)
})

const server = createServer(app)
const sockets = new WebSocket.Server({ server, perMessageDeflate: false })
const people = new Map<string, { socket: WebSocket; messages: PouchDB.Database }>()
sockets.on('connection', (socket, request) => {
  const name = String(request.url).slice(1)
  const messages = people.get(name)?.messages ?? new PouchDB(join(folder, name))
  people.set(name, { socket, messages })
  socket.on('message', (frame) => void handle(name, String(frame)))
})

async function handle(author: string, frame: string) {
  const { id, recipientId, content } = JSON.parse(frame)
  const recipient = people.get(recipientId)
  if (!recipient) throw new Error(`${recipientId} has no socket`)
  const doc = { _id: id, senderId: author, recipientId, content }
  await Promise.all([recipient.messages.put(doc), people.get(author)?.messages.put(doc)])
  recipient.socket.send(JSON.stringify({ id, content }))
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : address}\n`)
})
