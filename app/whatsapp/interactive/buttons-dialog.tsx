import { useState } from 'react'
import { whatsAppLimits } from '../../../schema/whatsapp/whatsapp-limits.ts'
import { DialogField, DialogHint } from '../../ui/forms/dialog-form.tsx'
import type { Channel } from '../channel/channel.ts'
import { ChannelDialog } from '../channel/channel-dialog.tsx'
import type { Outgoing } from '../channel/outgoing.ts'
import { buildButtons } from './build-interactive.ts'
import { FrameField } from './frame-field.tsx'
import { SendForm } from './send-form.tsx'

interface ButtonsDialogProps {
  channel: Channel
  onSend(outgoing: Outgoing): Promise<void>
  onClose(): void
}

const { buttonsMax, buttonTitleMax, interactiveBodyMax } = whatsAppLimits
const places = Array.from({ length: buttonsMax }, (_, index) => index)

/** Composes a question with buttons for the answers. */
export function ButtonsDialog({ channel, onSend, onClose }: ButtonsDialogProps) {
  const [text, setText] = useState('')
  const [frame, setFrame] = useState({ header: '', footer: '' })
  const [titles, setTitles] = useState<readonly string[]>(places.map(() => ''))
  return (
    <ChannelDialog title="Message with buttons" channel={channel} onClose={onClose}>
      <SendForm
        build={() => buildButtons({ ...frame, text, titles })}
        onSend={onSend}
        onClose={onClose}
      >
        <FrameField part="header" frame={frame} onChange={setFrame} />
        <DialogField label="Text">
          <textarea
            name="text"
            rows={2}
            dir="auto"
            maxLength={interactiveBodyMax}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </DialogField>
        <FrameField part="footer" frame={frame} onChange={setFrame} />
        {places.map((place) => (
          <DialogField key={place} label={`Button ${place + 1}`}>
            <input
              name={`button ${place}`}
              autoComplete="off"
              dir="auto"
              maxLength={buttonTitleMax}
              value={titles[place]}
              onChange={(event) => setTitles(titles.with(place, event.target.value))}
            />
          </DialogField>
        ))}
        <DialogHint>Up to {buttonTitleMax} characters each.</DialogHint>
      </SendForm>
    </ChannelDialog>
  )
}
