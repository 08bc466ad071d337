import { expect, test } from 'vitest'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** Ann's phone, whose WebSockets are blocked, and Ben's tablet with one; both live. */
async function start() {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  phone.network.blockSockets()
  const [onPhone, onTablet] = [phone.messenger, tablet.messenger]
  const isAnnOnline = () => onTablet.presence.getSnapshot().isOnline(ann.userId)
  const knowsBen = () => onPhone.presence.getSnapshot().isOnline(ben.userId)
  const heardBen = () => onPhone.presence.getSnapshot().isTyping(ben.userId)
  const heardAnn = () => onTablet.presence.getSnapshot().isTyping(ann.userId)
  await waitUntil('Ann is without', () => !knowsBen())
  await waitUntil('Ann knows again that Ben is there', knowsBen)
  return {
    lab,
    ann,
    ben,
    phone,
    tablet,
    onPhone,
    onTablet,
    isAnnOnline,
    knowsBen,
    heardBen,
    heardAnn,
  }
}

test('P7: where no WebSocket gets through, presence and typing go both ways by polls', async () => {
  const { ann, ben, onPhone, onTablet, isAnnOnline, heardBen, heardAnn } = await start()
  await waitUntil('Ben sees Ann', isAnnOnline)
  await waitUntil('Ben sees Ann typing', () => {
    onPhone.typing(ben.userId)
    return heardAnn()
  })
  await waitUntil('Ann sees Ben typing', () => {
    onTablet.typing(ann.userId)
    return heardBen()
  })
  onTablet.stopTyping(ann.userId)
  await waitUntil('Ann sees that Ben stopped', () => !heardBen())
  await waitUntil('Ann is live', () => onPhone.connection.getSnapshot().state === 'live')
})

test('P7: it returns to the socket when one gets through, and nobody sees it go', async () => {
  const { lab, ann, ben, phone, onPhone, onTablet, heardAnn, heardBen, isAnnOnline } = await start()
  const left: boolean[] = []
  onTablet.presence.subscribe(() => left.push(!isAnnOnline()))
  await waitUntil('Ben sees Ann', isAnnOnline)
  await waitUntil('only Ben has a socket', () => lab.server.stats().sockets === 1)
  left.length = 0
  phone.network.calm()
  phone.tabs[0]?.page.setVisible(true)
  await waitUntil('Ann has one too', () => lab.server.stats().sockets === 2)
  await waitUntil('Ann sees Ben typing', () => {
    onTablet.typing(ann.userId)
    return heardBen()
  })
  await waitUntil('Ben sees Ann typing', () => {
    onPhone.typing(ben.userId)
    return heardAnn()
  })
  expect(left).not.toContain(true)
})

test('P1 P7: a network that goes and comes back finds the polls again', async () => {
  const { lab, ben, phone, tablet, ann, knowsBen } = await start()
  phone.network.goOffline()
  await waitUntil('nothing is known', () => !knowsBen())
  await phone.say(ben, 'from afar')
  phone.network.goOnline()
  await waitUntil('Ben is there again', knowsBen)
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['from afar'])
})
