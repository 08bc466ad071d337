import type { MessageAnswer } from '../../../schema/api/message-answer.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Groups } from '../../groups/groups.ts'
import { type NewMessage, proposeMessage } from '../../messages/proposals/proposal.ts'
import { RequestRefused } from '../core/request-refused.ts'
import type { MessagePresenter } from './message-presenter.ts'
import { throwRefusal } from './message-writer.ts'

/** A group's name for those who are not in it any more. */
const leftGroupName = 'Group chat'

export type GroupCalls = ReturnType<typeof createGroupCalls>

/** The calls for messages, with a group's id where a person's stands. */
export function createGroupCalls(options: { groups: Groups; presenter: MessagePresenter }) {
  const { groups, presenter } = options

  async function present(userId: string, groupId: string, messages: readonly MessageDocument[]) {
    const [shown, group] = await Promise.all([
      presenter.presentAll(userId, messages),
      groups.find(groupId),
    ])
    // Its name may have changed since somebody left.
    const isMember = group?.members.some((one) => one.userId === userId)
    const username = isMember ? group?.name : undefined
    const recipient = { _id: groupId, username: username ?? leftGroupName, profilePicture: null }
    return shown.map((message): MessageAnswer => ({ ...message, recipient }))
  }

  return {
    /** Is or was this person in a group of this id? To all others it does not exist. */
    async isOfPerson(userId: string, groupId: string): Promise<boolean> {
      return (await groups.findOwn(userId, groupId)) !== undefined
    },

    /** @throws RequestRefused when it is refused: nothing is stored */
    async send(
      userId: string,
      groupId: string,
      message: NewMessage,
    ): Promise<{ shown: MessageAnswer; isNew: boolean }> {
      const proposal = proposeMessage({ senderId: userId, recipientId: groupId, message })
      const asked = { actorId: userId, groupId, proposals: [proposal] }
      const [outcome] = await groups.acceptMessages(asked)
      if (outcome?.kind === 'heldBack') throwRefusal(outcome.refusal)
      if (outcome?.kind !== 'stored') throw new Error('what was no deletion is not stored')
      const [shown] = await present(userId, groupId, [outcome.doc as unknown as MessageDocument])
      if (!shown) throw new Error('a message was not presented')
      return { shown, isNew: outcome.isNew }
    },

    /** @throws RequestRefused `message_not_found` for a `before` that the person may not read */
    async list(
      userId: string,
      groupId: string,
      page: { before?: string | undefined; limit: number },
    ): Promise<MessageAnswer[]> {
      const { before, limit } = page
      const found = await groups.listMessages({ userId, groupId, before, limit })
      if (!found) throw new RequestRefused('message_not_found')
      return await present(userId, groupId, found)
    },
  }
}
