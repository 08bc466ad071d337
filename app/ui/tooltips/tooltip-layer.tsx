import { Content, Portal, Provider, Root, Trigger } from 'radix-ui/tooltip'
import styles from './tooltip-layer.module.css'
import { useTooltipOwner } from './use-tooltip-owner.ts'

/** The open tooltip, next to its control. */
export function TooltipLayer() {
  const { owner, hide } = useTooltipOwner()
  if (!owner) return null
  const { left, top, width, height } = owner.element.getBoundingClientRect()
  return (
    <Provider disableHoverableContent>
      <Root key={owner.text} open onOpenChange={(isOpen) => !isOpen && hide()}>
        <Trigger asChild>
          <span
            className={styles.anchor}
            style={{ left, top, width, height }}
            tabIndex={-1}
            aria-hidden="true"
          />
        </Trigger>
        <Portal>
          <Content
            className={styles.tooltip}
            sideOffset={6}
            collisionPadding={8}
            data-tooltip-layer=""
          >
            {owner.text}
          </Content>
        </Portal>
      </Root>
    </Provider>
  )
}
