import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import express from 'express'
import PouchDB from 'pouchdb'
import WebSocket from 'ws'
import type { BareFrame } from '../load/bare-frames.ts'

/**
 * The floors of a storing chat server. Express stores its input by one synced put into LevelDB. A `ws` server puts each
 * message into both people's PouchDBs, then delivers it; if told so, it puts as many documents as Petrel writes: also
 * where the message stands in the order, and for each mark both people's conversations. Runs as its own process, with
 * a folder as its argument; prints its port.
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
const people = new Map<string, Person>()
const orders = new PouchDB(join(folder, 'orders'))

interface Person {
  socket: WebSocket
  messages: PouchDB.Database
  conversations: PouchDB.Database
  /** The last write of each conversation: its revision is the next one's parent. */
  written: Map<string, Promise<Marked>>
}
type Marks = Record<string, number>
type Marked = Marks & { _id: string; _rev: string }

sockets.on('connection', (socket, request) => {
  const name = String(request.url).slice(1)
  const databases = people.get(name) ?? {
    messages: new PouchDB(join(folder, name)),
    conversations: new PouchDB(join(folder, `${name}-conversations`)),
    written: new Map(),
  }
  people.set(name, { ...databases, socket })
  socket.on('message', (frame) => void handle(name, JSON.parse(String(frame))))
})

async function handle(name: string, frame: BareFrame) {
  const [own, others] = [findPerson(name), findPerson(frame.recipientId)]
  if ('marks' in frame) {
    const { deliveredUpTo, readUpTo } = frame.marks
    const tell = async (person: Person, id: string, marks: Marks) =>
      person.socket.send(JSON.stringify({ conversation: await raise(person, id, marks) }))
    await Promise.all([
      tell(own, frame.recipientId, frame.marks),
      tell(others, name, { peerDeliveredUpTo: deliveredUpTo, peerReadUpTo: readUpTo }),
    ])
    return
  }
  const { id, recipientId, content, isOrdered } = frame
  const orderedAt = Date.now()
  const doc = { _id: id, senderId: name, recipientId, content, orderedAt }
  await Promise.all([
    others.messages.put(doc),
    own.messages.put(doc),
    ...(isOrdered ? [orders.put({ _id: id, orderedAt })] : []),
  ])
  others.socket.send(JSON.stringify({ id, content, senderId: name, orderedAt }))
}

function findPerson(name: string): Person {
  const person = people.get(name)
  if (!person) throw new Error(`${name} has no socket`)
  return person
}

/** Writes a conversation's next version, after the one that is being written. */
function raise({ conversations, written }: Person, id: string, marks: Marks): Promise<Marked> {
  const raised = (written.get(id) ?? Promise.resolve(undefined)).then(async (before) => {
    const doc = { ...before, ...marks, _id: id }
    const { rev } = await conversations.put(doc)
    return { ...doc, _rev: rev } as Marked
  })
  written.set(id, raised)
  return raised
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : address}\n`)
})
