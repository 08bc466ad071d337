import type { Emulation } from '../state/emulation.ts'
import { emulatorAccount } from '../state/emulator-config.ts'
import { findMedia } from '../state/media-store.ts'
import { GraphFault, refuseUnknownNode } from '../wire/graph-fault.ts'
import { acceptSend } from './accept-send.ts'
import type { GraphCall, GraphNode, GraphReply } from './graph-call.ts'
import { deleteMedia, describeMedia } from './media-answers.ts'
import {
  changeBlocks,
  changeProfile,
  deregisterNumber,
  describeHistory,
  describeNumber,
  describeProfile,
  listBlocks,
  listNumbers,
  registerNumber,
} from './number-answers.ts'
import { changeApps, listApps, subscribe } from './subscription-answers.ts'
import {
  createTemplate,
  deleteTemplate,
  describeTemplate,
  listTemplates,
} from './template-answers.ts'
import { uploadMedia } from './upload-media.ts'

type Answer = (call: GraphCall) => GraphReply | Promise<GraphReply>

/** A handler for one kind of node, which the path has already found. */
function on<Kind extends GraphNode['kind']>(
  kind: Kind,
  answers: Record<
    string,
    (call: GraphCall<Extract<GraphNode, { kind: Kind }>>) => GraphReply | Promise<GraphReply>
  >,
): [Kind, Record<string, Answer>] {
  return [kind, answers as Record<string, Answer>]
}

/** Every call, by its path's node, its method and the rest of the path. */
const answers = Object.fromEntries([
  on('number', {
    'POST messages': acceptSend,
    'POST media': uploadMedia,
    GET: describeNumber,
    'POST register': registerNumber,
    'POST deregister': deregisterNumber,
    'GET message_history': describeHistory,
    'POST block_users': changeBlocks(true),
    'DELETE block_users': changeBlocks(false),
    'GET block_users': listBlocks,
    'GET whatsapp_business_profile': describeProfile,
    'POST whatsapp_business_profile': changeProfile,
  }),
  on('account', {
    'GET message_templates': listTemplates,
    'POST message_templates': createTemplate,
    'DELETE message_templates': deleteTemplate,
    'GET phone_numbers': listNumbers,
    'GET subscribed_apps': listApps,
    'POST subscribed_apps': changeApps(true),
    'DELETE subscribed_apps': changeApps(false),
  }),
  on('app', { 'POST subscriptions': subscribe }),
  on('media', { GET: describeMedia, DELETE: deleteMedia }),
  on('template', { GET: describeTemplate }),
]) as Record<GraphNode['kind'], Record<string, Answer>>

/** Calls that Meta counts as sends, not as management. */
const uncounted = ['POST messages', 'POST media']

/**
 * Answers one call of the Graph API, after the token check.
 * @param path the parts after the version
 * @throws GraphFault
 */
export async function answerGraph(
  emulation: Emulation,
  call: Omit<GraphCall, 'node' | 'emulation'> & { method: string; path: string[] },
): Promise<GraphReply> {
  const { method, path, query, headers, body } = call
  const [id = '', edge, ...rest] = path
  const node = rest.length === 0 ? findNode(emulation, id) : undefined
  const name = edge ? `${method} ${edge}` : method
  const answer = node && answers[node.kind][name]
  if (!node || !answer) throw refuseUnknownNode(method, id)
  if (!uncounted.includes(name)) emulation.limits.countManagement()
  const endpoint = edge ? `${method} ${node.kind}/${edge}` : `${method} ${node.kind}`
  // Sends meet their rules later, when their recipient is known.
  if (endpoint !== 'POST number/messages') {
    const fault = emulation.rules.take({ endpoint })
    if (fault?.drop) return { kind: 'reset' }
    if (fault?.error) {
      const { code, details } = fault.error
      throw new GraphFault(code, {
        ...(fault.status !== undefined && { status: fault.status }),
        ...(details !== undefined && { details }),
      })
    }
  }
  return await answer({ emulation, node, query, headers, body })
}

function findNode(emulation: Emulation, id: string): GraphNode | undefined {
  const { state } = emulation
  const number = state.numbers.get(id)
  if (number) return { kind: 'number', number }
  if (id === emulatorAccount.businessAccountId) return { kind: 'account', id }
  if (id === emulatorAccount.appId) return { kind: 'app', id }
  const media = findMedia(emulation, { id })
  if (media) return { kind: 'media', media }
  const template = state.templates.find((one) => one.id === id)
  return template && { kind: 'template', template }
}
