import { startTestApp } from './start-test-app.ts'
import { startCouch } from './storage/start-couch.ts'
import { startLosingProxy } from './storage/start-losing-proxy.ts'
import { proposeMessage } from './messages/propose-message.ts'
import { newConversation } from '../schema/conversation.ts'

const couch = await startCouch()
const proxy = await startLosingProxy(couch.url)
const app = await startTestApp({ COUCHDB_URL: proxy.url, JWT_SECRET: 'a secret that is long enough for this test' })
const ann = await app.register('Ann')
const ben = await app.register('Ben')
async function push(from: typeof ann, to: typeof ann, content: string) {
  const { raw } = proposeMessage({ senderId: from.userId, recipientId: to.userId, message: { content } })
  return app.call('POST', '/sync/messages/_bulk_docs', { token: from.token, body: { docs: [raw] } })
}
const show = (what: string) => { const r = proxy.takeRequests(); console.log(what, r.length); for (const x of r) console.log('   ', x.slice(0, 150)) }
await new Promise(r => setTimeout(r, 500))
show('start+register')
await push(ann, ben, '1'); show('first')
await push(ann, ben, '2'); show('second')
await push(ann, ben, '3'); show('third')
const pushConv = async (readUpTo: number) => app.call('POST', '/sync/conversations/_bulk_docs', { token: ben.token, body: { docs: [{ ...newConversation(ann.userId), deliveredUpTo: readUpTo, readUpTo }] } })
await pushConv(Date.now()); show('receipt 1')
await push(ann, ben, '4'); show('msg')
await pushConv(Date.now()); show('receipt 2')
await app.restart(); await new Promise(r => setTimeout(r, 500)); show('restart')
await push(ann, ben, '5'); show('first after restart')
await push(ann, ben, '6'); show('2nd after restart')
await pushConv(Date.now()); show('receipt after restart')
const r = await app.call('GET', '/sync/messages/_changes?since=0&limit=2', { token: ben.token }); console.log(r.text.slice(0,300)); show('changes')
const r2 = await app.call('GET', '/sync/messages/_changes?since=abc', { token: ben.token }); console.log(r2.status, r2.text.slice(0,300)); show('changes')
await app.close(); await proxy.close(); await couch.close()
process.exit(0)
