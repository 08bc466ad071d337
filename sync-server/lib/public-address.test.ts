import { createSocket } from 'node:dgram'
import { expect, onTestFinished, test } from 'vitest'
import { createPublicLookUp, isPublicAddress } from './public-address.ts'

test.each(['8.8.8.8', '142.250.74.110', '2a00:1450:4001:82b::200a', '2620:149:20d::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each([
  ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '0.0.0.0'],
  ...['100.64.0.1', '224.0.0.1', '255.255.255.255', '::1', '::', 'fd00::1', 'fe80::1'],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::1'],
  ...['localhost', ''],
])('%s is not', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

/** A name server that answers every question for an IPv4 address with these, and says nothing else. */
async function startNameServer(addresses: readonly string[]) {
  const socket = createSocket('udp4')
  socket.on('message', (question, { port }) => {
    const nameEnd = question.indexOf(0, 12)
    const type = question.readUInt16BE(nameEnd + 1)
    const found = type === 1 ? addresses : []
    const head = Buffer.from(question.subarray(0, nameEnd + 5))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(found.length, 6)
    head.writeUInt32BE(0, 8)
    const records = found.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, ...address.split('.').map(Number)]),
    )
    socket.send(Uint8Array.from([...head, ...records.flatMap((record) => [...record])]), port)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void socket.close())
  return [`127.0.0.1:${socket.address().port}`]
}

const lookUp = (hostname: string, servers?: readonly string[]) =>
  new Promise((resolve) =>
    createPublicLookUp(servers)(hostname, {}, (error, address) =>
      resolve(error ? 'refused' : address),
    ),
  )

test('a name that leads to this machine is not connected to', async () => {
  expect(await lookUp('localhost')).toBe('refused')
  const servers = await startNameServer(['127.0.0.1', '10.0.0.7'])
  expect(await lookUp('push.example.org', servers)).toBe('refused')
})

test('P12: names are asked of the name server, beside the threads that the storage needs', async () => {
  const servers = await startNameServer(['10.0.0.7', '142.250.74.110'])
  expect(await lookUp('push.example.org', servers)).toBe('142.250.74.110')
})
