import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import type { MenuAction } from '../../ui/menus/menu-action.ts'
import { readChannel } from '../../whatsapp/channel/channel.ts'
import { ChannelBar } from '../../whatsapp/channel/channel-bar.tsx'
import { changeChannelSettings, listLabels } from '../../whatsapp/channel/channel-settings.ts'
import type { ChannelWish } from '../../whatsapp/channel/channel-wish.ts'
import { listChannelActions } from '../../whatsapp/channel/list-channel-actions.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { useSession } from '../session/use-session.ts'

const ChannelDialogs = lazy(() =>
  import('../../whatsapp/channel-dialogs.tsx').then((module) => ({
    default: module.ChannelDialogs,
  })),
)

interface ChannelChat {
  /** Does the other person use the business channel? */
  isCustomer: boolean
  /** Actions for the attach menu. */
  actions: readonly MenuAction[]
  /** Shown under the header of a chat with a customer. */
  bar: ReactNode
  dialog: ReactNode
  setWish(wish: ChannelWish): void
}

/** The business channel's additions to a chat. */
export function useChannelChat(peerId: string, onOpenChat: (peerId: string) => void): ChannelChat {
  const messenger = useMessenger()
  const { own: ownCalls, whatsApp } = useServices()
  const user = useSession()?.user
  const peer = useLiveValue(messenger.users.get(peerId))
  const [wish, setWish] = useState<ChannelWish>()
  const channel = readChannel(user)
  const isCustomer = Boolean(peer?.isWhatsAppContact)
  useEffect(() => {
    // The sandbox setting may have changed since sign-in; the device's record stays until the
    // server answers.
    if (isCustomer) ownCalls.me().catch(() => {})
  }, [isCustomer, ownCalls])
  const own = useLiveValue(messenger.settings.values).whatsApp
  return {
    isCustomer,
    actions: listChannelActions({ channel, peer, onWish: setWish }),
    bar: isCustomer && (
      <ChannelBar
        messenger={messenger}
        peerId={peerId}
        channel={channel}
        labels={listLabels(own, peerId)}
        onWish={setWish}
      />
    ),
    dialog: wish && (
      <Suspense fallback={null}>
        <ChannelDialogs
          messenger={messenger}
          channel={channel}
          peerId={peerId}
          peer={peer}
          wish={wish}
          settings={own}
          listTemplates={whatsApp.listTemplates}
          addContact={whatsApp.addContact}
          onSettings={(change) => changeChannelSettings(messenger.settings, change)}
          onWish={setWish}
          onOpenChat={onOpenChat}
        />
      </Suspense>
    ),
    setWish,
  }
}
