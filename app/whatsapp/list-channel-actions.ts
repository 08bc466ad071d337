import { kindOf } from '../../schema/conversation.ts'
import type { PublicUser } from '../../schema/user.ts'
import type { MenuAction } from '../ui/menus/menu-action.ts'
import type { Channel, ChannelWish } from './channel.ts'

/** The channel's actions in the composer's attach menu. Source: decision 61, section 2. */
export function listChannelActions(options: {
  channel: Pick<Channel, 'isLinked'>
  peer: Pick<PublicUser, 'phone_number' | 'isWhatsAppContact'> | undefined
  onWish(wish: ChannelWish): void
}): MenuAction[] {
  const { channel, peer, onWish } = options
  if (!channel.isLinked) return []
  const isCustomer = kindOf(peer) === 'business'
  const actions: MenuAction[] = [
    { label: 'Templates', icon: 'template', onSelect: () => onWish({ kind: 'templates' }) },
  ]
  if (!peer?.phone_number && !isCustomer) {
    actions.push({
      label: 'Phone Number',
      icon: 'phone',
      onSelect: () => onWish({ kind: 'phone' }),
    })
  }
  if (!isCustomer) return actions
  return [
    ...actions,
    { label: 'Buttons', icon: 'select', onSelect: () => onWish({ kind: 'buttons' }) },
    { label: 'List', icon: 'menu', onSelect: () => onWish({ kind: 'list' }) },
    { label: 'Quick replies', icon: 'reply', onSelect: () => onWish({ kind: 'replies' }) },
  ]
}
