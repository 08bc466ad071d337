import { v7 as createId } from 'uuid'
import { must } from '../../schema/must.ts'
import { quickReactions } from '../../schema/reaction.ts'
import { unreachable } from '../../schema/unreachable.ts'
import type { Stage } from '../../sync-server/messages/message-acceptor.ts'
import type { Remains } from '../../sync-server/storage/level/faulty-disk.ts'
import { StorageUnavailable } from '../../sync-server/storage/storage-unavailable.ts'
import type { Lab } from './create-lab.ts'
import type { LabDevice } from './create-lab-device.ts'
import type { LabNetwork } from './create-lab-network.ts'
import type { Step } from './draw-history.ts'

const stages: readonly Stage[] = ['ordered', 'peer', 'own', 'finished']
const remains: readonly Remains[] = ['nothing', 'torn', 'unseen']

/** RxDB opens 16 collections in a process, and a tab has two. */
const tabsMax = 7

/** Lets one thing happen in the lab. What a device cannot do just then does not happen. */
export async function takeStep(lab: Lab, step: Step): Promise<void> {
  switch (step.do) {
    case 'kill':
      return await lab.server.kill()
    case 'kill-at-stage':
      return void lab.server.killAfter(choose(stages, step.pick))
    case 'kill-at-write':
      return void lab.server.killAtWrite({
        after: step.pick % 6,
        side: choose(['before', 'after'], Math.floor(step.pick / 6)),
      })
    case 'start':
      return await start(lab)
    case 'fill-disk':
      return lab.server.disk.fillUp({
        after: step.pick % 5,
        count: 1 + (Math.floor(step.pick / 5) % 12),
        leaves: choose(remains, step.pick),
      })
    case 'make-room':
      return lab.server.disk.makeRoom()
    case 'pause':
      return await new Promise((resolve) => setTimeout(resolve, step.pick % 60))
    default:
      return await actOnDevice(lab, step)
  }
}

/** On a full disk it may not start. */
async function start({ server }: Lab) {
  if (server.isRunning()) return
  await server.start().catch((error: unknown) => {
    if (!(error instanceof StorageUnavailable)) throw error
  })
}

type DeviceStep = Extract<Step, { device: number }>

async function actOnDevice(lab: Lab, step: DeviceStep): Promise<void> {
  const devices = lab.people.flatMap((person) => person.devices)
  const device = choose(devices, step.device)
  const { network } = device
  switch (step.do) {
    case 'offline':
      return network.goOffline()
    case 'dark':
      return network.goDark()
    case 'online':
      return network.goOnline()
    case 'calm':
      return network.calm()
    case 'duplicate':
      return network.duplicate()
    case 'reorder':
      return network.reorder()
    case 'lose':
      return network.loseResponses(1 + (step.pick % 3))
    case 'delay':
      return network.delay(step.pick % 80)
    case 'refuse':
      return network.answer(step.pick % 2 === 0 ? 503 : 429, 1 + (step.pick % 4))
    case 'slow':
      return network.slow({ bytesPerSecond: 10_000 + step.pick * 100 })
    case 'overtake':
      return letOvertake(network, step.pick)
    case 'block':
      return network.blockSockets()
    case 'reload':
      return await device.reload()
    case 'tab':
      return countTabs(lab) < tabsMax ? void (await device.openTab()) : undefined
    default:
      return await actOnConversation(lab, device, step)
  }
}

/** For a moment what is written to one collection stays on its way, and everything else passes it. */
function letOvertake(network: LabNetwork, pick: number) {
  const { release } = network.holdWrites(pick % 2 === 0 ? 'messages' : 'conversations')
  setTimeout(release, pick % 200)
}

type ConversationStep = Exclude<
  DeviceStep,
  | {
      do: 'offline' | 'dark' | 'online' | 'calm' | 'duplicate' | 'reorder' | 'reload' | 'tab'
    }
  | { do: 'lose' | 'delay' | 'refuse' | 'slow' | 'block' | 'overtake' }
>

async function actOnConversation(lab: Lab, device: LabDevice, step: ConversationStep) {
  const others = lab.people.filter(({ userId }) => userId !== device.userId)
  const other = choose(others, step.pick)
  const { commands } = device.messenger
  if (step.do === 'say')
    return void (await device.say(other, `message ${step.device}-${step.pick}`))
  if (step.do === 'kill-after-enter') {
    if (!device.isOpen) return
    return await device.killAfterEnter(
      other,
      `killed ${step.device}-${step.pick} ${createId()}`,
      step.pick % 8,
    )
  }
  if (step.do === 'read') return await commands.markRead(other.userId)
  if (step.do === 'pin') return await commands.setPinned(other.userId, step.device % 2 === 0)
  if (step.do === 'archive') return await commands.setArchived(other.userId, step.device % 2 === 0)
  if (step.do === 'clear') return await commands.clearConversation(other.userId)
  const messages = await device.read(other)
  if (messages.length === 0) return
  const { _id } = choose(messages, Math.floor(step.pick / 3))
  switch (step.do) {
    case 'edit':
      return await commands.editMessage(_id, `edited ${step.device}-${step.pick}`)
    case 'delete':
      return await commands.deleteMessage(_id)
    case 'star':
      return await commands.setStarred(_id, step.device % 2 === 0)
    case 'react':
      return await commands.setReaction(_id, choose(['', ...quickReactions], step.pick))
    case 'retry':
      return await commands.retryMessage(_id)
    case 'discard':
      return await commands.discardMessage(_id)
    default:
      return unreachable(step.do)
  }
}

function countTabs(lab: Lab): number {
  return lab.people.flatMap(({ devices }) => devices).flatMap(({ tabs }) => tabs).length
}

function choose<T>(choices: readonly T[], pick: number): T {
  return must(choices[pick % choices.length], 'something to choose')
}
